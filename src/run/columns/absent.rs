//! What stands for Parquet in a program that was built without it: everything fails with one sentence.

use super::Numbered;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;

const ABSENT: &str = "it is Parquet, and this program was built without it (the feature `parquet`); build it with the feature, \
                      or convert the file to JSON lines";

/// Cannot be made.
#[derive(Debug)]
pub struct Rows(Infallible);

impl Rows {
    /// # Errors
    /// Always.
    pub fn open(_: File) -> Result<Rows, String> {
        Err(ABSENT.to_owned())
    }

    /// # Errors
    /// Never, as there is none.
    pub fn next_row(&mut self) -> io::Result<Option<Numbered>> {
        match self.0 {}
    }
}

/// Cannot be made.
pub struct FromLines<W>(Infallible, PhantomData<W>);

impl<W: Write + Send> FromLines<W> {
    /// # Errors
    /// Always.
    pub fn new(_: W) -> io::Result<FromLines<W>> {
        Err(io::Error::other(ABSENT))
    }

    /// # Errors
    /// Never, as there is none.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {}
    }
}

impl<W> Write for FromLines<W> {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        match self.0 {}
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0 {}
    }
}
