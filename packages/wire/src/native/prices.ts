import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

const count = z.int().min(0)
/** A decimal number of 0 or more, exact as a text. */
const decimal = z.union([z.string().max(64), z.number().min(0)])

/** The parts of a price, as the file of prices names them. */
const parts = {
  /** Day or time, UTC, from which the price holds; always, when it is left out. */
  from: z.string().max(64).exactOptional(),
  /** ISO 4217 code; the currency of the list, when it is left out. */
  currency: z.string().max(3).exactOptional(),
  /** For a million tokens of prompts. */
  input: decimal.exactOptional(),
  cached_input: decimal.exactOptional(),
  cache_write: decimal.exactOptional(),
  /** For a million tokens of answers. */
  output: decimal.exactOptional(),
  reasoning: decimal.exactOptional(),
  /** For an image that is made. */
  image: decimal.exactOptional(),
  /** For a second of sound or film. */
  audio_second: decimal.exactOptional(),
  /** For a million characters that are spoken. */
  characters: decimal.exactOptional(),
  request: decimal.exactOptional(),
  /** For a second for which the model works. */
  compute_second: decimal.exactOptional(),
}

const target = {
  /** Name of a model; `*` at its start or its end means any text. */
  model: z.string().max(300).exactOptional(),
  /** Host of an upstream, or its provider. */
  upstream: z.string().max(300).exactOptional(),
}

/** Body of `PUT /api/prices`: the whole list. */
export const priceListRequest = z.strictObject({
  /** ISO 4217 code of all costs. Default: USD. */
  currency: z.string().max(3).exactOptional(),
  /** Worth of a unit of another currency in `currency`. */
  rates: endAtFirstFault(z.record(z.string().max(3), decimal)).exactOptional(),
  prices: endAtFirstFault(z.array(z.strictObject({ ...target, ...parts })).max(5000)),
})

/** Reply of `GET` and `PUT /api/prices`. */
export const priceListReply = z.looseObject({
  /** ISO 4217 code of all costs; absent while no price is known at all. */
  currency: z.string().exactOptional(),
  rates: z.record(z.string(), z.string()),
  /** In the order of the file. */
  prices: z.array(z.looseObject({ ...target, ...parts, line: count })),
  /** Models with the price that holds now. */
  models: z.array(
    z.looseObject({
      model: z.string(),
      /** Whether the price is of the model's own file, or of the list. */
      origin: z.enum(['model', 'list']),
      /** Line of the price in the list. */
      line: count.exactOptional(),
      price: z.looseObject(parts),
    }),
  ),
  /** Names of models without a price now. */
  unpriced: z.array(z.string()),
  /** Faults of the file, whose last good content is in use. */
  problems: z.array(
    z.looseObject({ line: count.exactOptional(), key: z.string().exactOptional(), message: z.string() }),
  ),
})

/** A whole price list. */
export type PriceListRequest = z.infer<typeof priceListRequest>
/** The price list in use, and what it says of the models. */
export type PriceListReply = z.infer<typeof priceListReply>
