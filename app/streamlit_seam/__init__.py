"""What the app touches of Streamlit's insides: all of it is here, and each piece has a test (`tests/test_streamlit_seam.py`).

Streamlit promises nothing of this from one release to the next, so `pyproject.toml` holds it below the next one. To take a newer release:
raise that bound, run the test, and mend what it names. The addresses that Streamlit serves stand in `app.front` (`ENDPOINTS`), with a test
of their own that compares them with Streamlit's routes.
"""
