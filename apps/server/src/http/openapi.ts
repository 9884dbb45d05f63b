import { createSchemaRegistry, type SchemaRegistry, toOpenApiSchemas, toSchemaReference } from '@svc/wire'
import * as z from 'zod'
import { type ErrorFamily, listPaths, type RouteInfo, type RouteResponse } from './route-info.ts'

type Json = Record<string, unknown>

/** A pattern as OpenAPI writes it: `/v1/models/{id}`. */
function toTemplate(pattern: string): string {
  return pattern.replace(/:([A-Za-z_-]+)(\{\.\+\})?/g, '{$1}').replace(/\*/g, '{path}')
}

function toSchema(schema: z.ZodType, registry: SchemaRegistry, io: 'input' | 'output'): Json {
  const reference = toSchemaReference(registry, schema)
  if (reference !== undefined) return { $ref: reference }
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json
  return rest
}

async function toParameters(route: RouteInfo, template: string, registry: SchemaRegistry): Promise<Json[]> {
  const inPath = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const query = await route.query?.()
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, field]) => {
    const schema = field as z.ZodType
    return {
      name,
      in: 'query',
      required: !schema.safeParse(undefined).success,
      ...(schema.description === undefined ? {} : { description: schema.description }),
      schema: toSchema(schema, registry, 'input'),
    }
  })
  return [...inPath, ...inQuery]
}

async function toResponse(response: RouteResponse, registry: SchemaRegistry): Promise<Json> {
  const { description, contentType } = response
  const schema = await response.schema?.()
  if (schema === undefined && contentType === undefined) return { description }
  const media = schema === undefined ? {} : { schema: toSchema(schema, registry, 'output') }
  return { description, content: { [contentType ?? 'application/json']: media } }
}

/** Names of the error bodies of families that have one of their own. */
const ERRORS: Partial<Readonly<Record<ErrorFamily, string>>> = {
  messages: 'MessagesError',
  responses: 'ResponseError',
  string: 'OllamaError',
  flat: 'FlatError',
  'model-file': 'ModelFileError',
  settings: 'SettingsError',
}

async function toOperation(route: RouteInfo, template: string, registry: SchemaRegistry): Promise<Json> {
  const parameters = await toParameters(route, template, registry)
  const body = await route.body?.()
  const responses: [string, Json][] = []
  for (const [status, response] of Object.entries(route.responses ?? { 200: { description: 'OK' } })) {
    responses.push([status, await toResponse(response, registry)])
  }
  return {
    tags: [route.tag],
    summary: route.summary,
    operationId: `${route.method.toLowerCase()} ${template}`.replace(/[^A-Za-z0-9]+/g, '_').replace(/_$/, ''),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [route.bodyType ?? 'application/json']: { schema: toSchema(body, registry, 'input') } },
          },
        }),
    responses: {
      ...Object.fromEntries(responses),
      default: {
        description: 'An error in the format of the route.',
        content: {
          'application/json': { schema: { $ref: `#/components/schemas/${ERRORS[route.family] ?? 'CompatibleError'}` } },
        },
      },
    },
    security: route.access === 'none' ? [] : [{ bearer: [] }, { apiKey: [] }],
    'x-svc-access': route.access,
    ...(route.feature === undefined ? {} : { 'x-svc-feature': route.feature }),
    ...(route.scanned ? { 'x-svc-scanned': route.scannedWhen ?? true } : {}),
    ...(route.socket === undefined ? {} : { 'x-svc-socket': true }),
  }
}

/** The OpenAPI 3.1 document of a route table. */
export async function openApiDocument(routes: readonly RouteInfo[], version: string): Promise<Json> {
  const registry = createSchemaRegistry()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    for (const pattern of listPaths(route)) {
      const template = toTemplate(pattern)
      paths[template] ??= {}
      const item = paths[template]
      const operation = await toOperation(route, template, registry)
      item[route.method.toLowerCase()] =
        pattern === route.path
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
