import type { Stage } from '../pipeline.ts'

/** Only now is the body checked against the route's schema and mapped to the domain. */
export const mapStage: Stage = async (exchange, next) => {
  exchange.request = await exchange.codec.parse(exchange.document, { signal: exchange.call.signal })
  await next()
}
