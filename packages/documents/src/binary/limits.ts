/** Bounds of documents that are unpacked or laid out. */
export const BINARY_LIMITS = {
  /** Entries of a ZIP archive. */
  entries: 10_000,
  /** Bytes that the read parts of a ZIP archive have together once they are unpacked. */
  unpackedBytes: 256 * 1024 * 1024,
  /** Bytes of a part that is read as a whole, such as a table of contents. */
  partBytes: 16 * 1024 * 1024,
  /** Elements inside of each other. */
  depth: 1000,
  /** Longest time that a PDF is read, milliseconds. */
  pdfMs: 120_000,
  /** Pages of a PDF. */
  pages: 20_000,
  /** Characters of the text, UTF-16 code units. */
  characters: 32 * 1024 * 1024,
} as const
