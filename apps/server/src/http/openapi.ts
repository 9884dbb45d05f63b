import { createSchemaRegistry, type SchemaRegistry, toOpenApiSchemas, toSchemaReference } from '@svc/wire'
import * as z from 'zod'
import { type ErrorFamily, pathsOf, type RouteResponse, type RouteRow } from './route-row.ts'

type Json = Record<string, unknown>

/** A pattern as OpenAPI writes it: `/v1/models/{id}`. */
function toTemplate(pattern: string): string {
  return pattern.replace(/:([A-Za-z_-]+)(\{\.\+\})?/g, '{$1}').replace(/\*/g, '{path}')
}

function schemaOf(schema: z.ZodType, registry: SchemaRegistry, io: 'input' | 'output'): Json {
  const reference = toSchemaReference(registry, schema)
  if (reference !== undefined) return { $ref: reference }
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

function parametersOf(row: RouteRow, template: string, registry: SchemaRegistry): Json[] {
  const inPath = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const inQuery = Object.entries(row.query?.shape ?? {}).map(([name, field]) => {
    const schema = field as z.ZodType
    return {
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      schema: schemaOf(schema, registry, 'input'),
    }
  })
  return [...inPath, ...inQuery]
}

function responseOf(response: RouteResponse, registry: SchemaRegistry): Json {
  const { description, schema, contentType } = response
  if (schema === undefined && contentType === undefined) return { description }
  const media = schema === undefined ? {} : { schema: schemaOf(schema, registry, 'output') }
  return { description, content: { [contentType ?? 'application/json']: media } }
}

/** Names of the error bodies of families that have one of their own. */
const ERRORS: Partial<Readonly<Record<ErrorFamily, string>>> = { messages: 'MessagesError' }

function operationOf(row: RouteRow, template: string, registry: SchemaRegistry): Json {
  const parameters = parametersOf(row, template, registry)
  const responses = Object.entries(row.responses ?? { 200: { description: 'OK' } }).map(
    ([status, response]) => [status, responseOf(response, registry)] as const,
  )
  return {
    tags: [row.tag],
    summary: row.summary,
    operationId: `${row.method.toLowerCase()} ${template}`.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, ''),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(row.body, registry, 'input') } },
          },
        }),
    responses: {
      ...Object.fromEntries(responses),
      default: {
        description: 'An error in the format of the route.',
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${ERRORS[row.family] ?? 'CompatibleError'}` } },
        },
      },
    },
    security: row.access === 'none' ? [] : [{ bearer: [] }, { apiKey: [] }],
    'x-svc-access': row.access,
    ...(row.feature === undefined ? {} : { 'x-svc-feature': row.feature }),
    ...(row.scanned ? { 'x-svc-scanned': row.scannedWhen ?? true } : {}),
    ...(row.socket === undefined ? {} : { 'x-svc-socket': true }),
  }
}

/** The OpenAPI 3.1 document of a route table; reserved rows are not in it. */
export function openApiDocument(rows: readonly RouteRow[], version: string): Json {
  const registry = createSchemaRegistry()
  const paths: Record<string, Json> = {}
  for (const row of rows) {
    if (row.gateOnly === true) continue
    for (const pattern of pathsOf(row)) {
      const template = toTemplate(pattern)
      paths[template] ??= {}
      const item = paths[template]
      const operation = operationOf(row, template, registry)
      item[row.method.toLowerCase()] =
        pattern === row.path
          ? operation
          : { ...operation, operationId: `${String(operation.operationId)}_alias`, deprecated: false }
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version, description: 'A self-hosted model server.' },
    paths,
    components: {
      schemas: toOpenApiSchemas(registry),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  }
}
