import * as z from 'zod'

/** Body of `POST /mcp`: a message of JSON-RPC 2.0, or several. */
export const message = z
  .union([z.looseObject({ jsonrpc: z.literal('2.0') }), z.array(z.looseObject({ jsonrpc: z.literal('2.0') }))])
  .describe('A message of the Model Context Protocol.')
