"""Sample data that the project makes itself: robot episodes rendered in the embedded simulator, in the layouts of well-known data sets."""
