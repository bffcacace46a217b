"""The log that comes with the package, of our own making: ``example``."""
