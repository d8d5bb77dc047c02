from hypothesis import settings

# The first example may have to wait for a kernel to compile.
settings.register_profile("capsa", deadline=None)
settings.load_profile("capsa")
