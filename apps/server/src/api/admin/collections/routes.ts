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

type Define = (
  info: Omit<RouteInfo, keyof typeof shared>,
  choose: (handlers: Handlers) => (call: Call, parts: CollectionRouteParts) => Promise<HttpReply>,
) => Route

const change = (verb: string) => ({ change: `collection.${verb}`, target: 'name' })

/** `/api/agents/collections`: documents that agents search. */
export function collectionRoutes(parts: CollectionRouteParts): Route[] {
  const define: Define = (info, choose) =>
    defineRoute({ ...shared, ...info, handler: async (call) => choose(await import('./handlers.ts'))(call, parts) })
  return [...listRoutes(define), ...oneRoutes(define), ...entryRoutes(define), ...sourceRoutes(define)]
}

function listRoutes(define: Define): Route[] {
  return [
    define(
      {
        method: 'GET',
        path: BASE,
        summary: 'List collections',
        responses: reply('Their names, the oldest first.', 'collectionList'),
      },
      ({ listCollections }) => listCollections,
    ),
    define(
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
      ({ createCollection }) => createCollection,
    ),
  ]
}

function oneRoutes(define: Define): Route[] {
  return [
    define(
      {
        method: 'DELETE',
        path: `${BASE}/:name`,
        summary: 'Delete a collection with its documents',
        audit: change('delete'),
        responses: { ...reply('It is gone.', 'statusReply'), ...MISSING },
      },
      ({ deleteCollection }) => deleteCollection,
    ),
    define(
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
      ({ uploadEntry }) => uploadEntry,
    ),
    define(
      {
        method: 'POST',
        path: `${BASE}/:name/search`,
        summary: 'Find the parts of documents that fit a text',
        audit: { unrecorded: 'a search changes nothing' },
        body: schema('searchBody'),
        responses: { ...reply('The best first.', 'searchReply'), ...MISSING },
      },
      ({ searchCollection }) => searchCollection,
    ),
    define(
      {
        method: 'POST',
        path: `${BASE}/:name/reset`,
        summary: 'Delete all documents of a collection',
        audit: change('reset'),
        responses: { ...reply('They are gone.', 'statusReply'), ...MISSING },
      },
      ({ resetCollection }) => resetCollection,
    ),
  ]
}

function entryRoutes(define: Define): Route[] {
  return [
    define(
      {
        method: 'GET',
        path: `${BASE}/:name/entries`,
        summary: 'List the documents of a collection',
        responses: { ...reply('The oldest first, with their states.', 'entryList'), ...MISSING },
      },
      ({ listEntries }) => listEntries,
    ),
    define(
      {
        method: 'GET',
        path: `${BASE}/:name/entries/:entry{.+}`,
        summary: 'Get the text of a document',
        responses: { ...reply('Its text; empty until it is indexed.', 'entryContent'), ...MISSING },
      },
      ({ getEntry }) => getEntry,
    ),
    define(
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
      ({ getRawEntry }) => getRawEntry,
    ),
    define(
      {
        method: 'DELETE',
        path: `${BASE}/:name/entry/delete`,
        summary: 'Delete a document of a collection',
        audit: change('delete-entry'),
        body: schema('entryBody'),
        responses: { ...reply('What is left.', 'remainingEntries'), ...MISSING },
      },
      ({ deleteEntry }) => deleteEntry,
    ),
  ]
}

function sourceRoutes(define: Define): Route[] {
  return [
    define(
      {
        method: 'GET',
        path: `${BASE}/:name/sources`,
        summary: 'List the addresses that a collection fetches',
        responses: { ...reply('The oldest first.', 'sourceList'), ...MISSING },
      },
      ({ listSources }) => listSources,
    ),
    define(
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
      ({ addSource }) => addSource,
    ),
    define(
      {
        method: 'DELETE',
        path: `${BASE}/:name/sources`,
        summary: 'Delete an address with its document',
        audit: change('delete-source'),
        body: schema('sourceRemoval'),
        responses: { ...reply('It is gone.', 'statusReply'), ...MISSING },
      },
      ({ removeSource }) => removeSource,
    ),
  ]
}
