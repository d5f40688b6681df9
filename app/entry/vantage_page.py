"""The script Streamlit runs for every page; everything is in `app.pages`."""

from app.pages.navigation import main

main()
