/**
 * Validation of bodies, and every body as OpenAPI. The schemas, the types inferred from them and the codecs of streams
 * are entries of their own: one for each wire format, `sse` and `ndjson`.
 *
 * @module
 */
export { parseBody } from './parse-body.ts'
export {
  createSchemaRegistry,
  type SchemaName,
  type SchemaRegistry,
  toOpenApiSchemas,
  toSchemaReference,
} from './registry.ts'
