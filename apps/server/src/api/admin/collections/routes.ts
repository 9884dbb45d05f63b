import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { RouteInfo } from '../../../http/route-info.ts'
import type { CollectionRouteParts } from './handlers.ts'

type Handlers = typeof import('./handlers.ts')
type Schemas = typeof import('./schemas.ts')
type SchemaName = Exclude<keyof Schemas, 'ownerQuery'>

const schema = (name: SchemaName) => async () => (await import('./schemas.ts'))[name]
const query = async () => (await import('./schemas.ts')).ownerQuery

const BASE = '/api/agents/collections'
const shared = { access: 'admin', family: 'flat', tag: 'collections', query } as const
const MISSING = { 404: { description: 'No such collection, or no such entry.' } }

/** Answers with a documented body. */
const reply = (description: string, name: SchemaName, status = 200) => ({
  [status]: { description, schema: schema(name) },
})

/** `/api/agents/collections`: documents that agents search. */
export function collectionRoutes(parts: CollectionRouteParts): Route[] {
  const handle = (choose: (handlers: Handlers) => (call: Call, parts: CollectionRouteParts) => Promise<HttpReply>) => {
    return async (call: Call) => choose(await import('./handlers.ts'))(call, parts)
  }
  const route = (info: Omit<RouteInfo, keyof typeof shared>, handler: Route['handler']): Route =>
    defineRoute({ ...shared, ...info, handler })
  const change = (verb: string) => ({ change: `collection.${verb}`, target: 'name' })
  return [
    route(
      {
        method: 'GET',
        path: BASE,
        summary: 'List collections',
        responses: reply('Their names, the oldest first.', 'collectionList'),
      },
      handle(({ listCollections }) => listCollections),
    ),
    route(
      {
        method: 'POST',
        path: BASE,
        summary: 'Make a collection',
        audit: { change: 'collection.create' },
        body: schema('collectionDraft'),
        responses: {
          ...reply('It is made.', 'collectionMade', 201),
          409: { description: 'The name is taken.' },
        },
      },
      handle(({ createCollection }) => createCollection),
    ),
    route(
      {
        method: 'DELETE',
        path: `${BASE}/:name`,
        summary: 'Delete a collection with its documents',
        audit: change('delete'),
        responses: { ...reply('It is gone.', 'statusReply'), ...MISSING },
      },
      handle(({ deleteCollection }) => deleteCollection),
    ),
    route(
      {
        method: 'POST',
        path: `${BASE}/:name/upload`,
        form: true,
        bodyType: 'multipart/form-data',
        summary: 'Add a document; it is indexed in the background',
        audit: change('upload'),
        body: schema('uploadForm'),
        responses: {
          ...reply('It is added.', 'uploadReply'),
          ...MISSING,
          409: { description: 'The collection has a document of that name.' },
          415: { description: 'Documents of this type cannot be read.' },
        },
      },
      handle(({ uploadEntry }) => uploadEntry),
    ),
    route(
      {
        method: 'POST',
        path: `${BASE}/:name/search`,
        summary: 'Find the parts of documents that fit a text',
        audit: { unrecorded: 'a search changes nothing' },
        body: schema('searchBody'),
        responses: { ...reply('The best first.', 'searchReply'), ...MISSING },
      },
      handle(({ searchCollection }) => searchCollection),
    ),
    route(
      {
        method: 'POST',
        path: `${BASE}/:name/reset`,
        summary: 'Delete all documents of a collection',
        audit: change('reset'),
        responses: { ...reply('They are gone.', 'statusReply'), ...MISSING },
      },
      handle(({ resetCollection }) => resetCollection),
    ),
    route(
      {
        method: 'GET',
        path: `${BASE}/:name/entries`,
        summary: 'List the documents of a collection',
        responses: { ...reply('The oldest first, with their states.', 'entryList'), ...MISSING },
      },
      handle(({ listEntries }) => listEntries),
    ),
    route(
      {
        method: 'GET',
        path: `${BASE}/:name/entries/:entry{.+}`,
        summary: 'Get the text of a document',
        responses: { ...reply('Its text; empty until it is indexed.', 'entryContent'), ...MISSING },
      },
      handle(({ getEntry }) => getEntry),
    ),
    route(
      {
        method: 'GET',
        path: `${BASE}/:name/entries-raw/:entry{.+}`,
        summary: 'Get the bytes of a document',
        responses: {
          200: { description: 'The bytes.', contentType: 'application/octet-stream' },
          206: { description: 'The part that the header `range` names.', contentType: 'application/octet-stream' },
          ...MISSING,
        },
      },
      handle(({ getRawEntry }) => getRawEntry),
    ),
    route(
      {
        method: 'DELETE',
        path: `${BASE}/:name/entry/delete`,
        summary: 'Delete a document of a collection',
        audit: change('delete-entry'),
        body: schema('entryBody'),
        responses: { ...reply('What is left.', 'remainingEntries'), ...MISSING },
      },
      handle(({ deleteEntry }) => deleteEntry),
    ),
    route(
      {
        method: 'GET',
        path: `${BASE}/:name/sources`,
        summary: 'List the addresses that a collection fetches',
        responses: { ...reply('The oldest first.', 'sourceList'), ...MISSING },
      },
      handle(({ listSources }) => listSources),
    ),
    route(
      {
        method: 'POST',
        path: `${BASE}/:name/sources`,
        summary: 'Fetch an address into a collection, now and again after an interval',
        audit: change('add-source'),
        body: schema('sourceBody'),
        responses: {
          ...reply('It was fetched.', 'statusReply'),
          ...MISSING,
          502: { description: 'It could not be fetched.' },
        },
      },
      handle(({ addSource }) => addSource),
    ),
    route(
      {
        method: 'DELETE',
        path: `${BASE}/:name/sources`,
        summary: 'Delete an address with its document',
        audit: change('delete-source'),
        body: schema('sourceRemoval'),
        responses: { ...reply('It is gone.', 'statusReply'), ...MISSING },
      },
      handle(({ removeSource }) => removeSource),
    ),
  ]
}
