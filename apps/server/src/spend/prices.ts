import type { OpenPriceBook } from './open-price-book.ts'
import type { PriceFile } from './price-file.ts'

/** The prices of models, and the file that has them. */
export interface OpenPrices {
  readonly book: OpenPriceBook
  readonly file: PriceFile
}
