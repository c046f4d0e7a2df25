//! tests of pages in a browser
