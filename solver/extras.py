"""What only some users need to install."""


def missing(package: str, what: str) -> ModuleNotFoundError:
    """Return the error that says how to get a package of the extra ``analysis``.

    >>> print(missing("polars", "a data frame"))
    a data frame needs polars: pip install 'capsa-susun[analysis]'
    """
    message = f"{what} needs {package}: pip install 'capsa-susun[analysis]'"
    return ModuleNotFoundError(message, name=package)
