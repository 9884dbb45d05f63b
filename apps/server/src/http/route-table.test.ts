import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { HonoEnv } from './call.ts'
import { json } from './json.ts'
import type { Route } from './route.ts'
import type { ErrorFamily, HttpMethod } from './route-info.ts'
import { addRoutes } from './route-table.ts'

function route(method: HttpMethod, path: string, family: ErrorFamily = 'compatible', aliases: string[] = []): Route {
  return { method, path, aliases, family, access: 'any', tag: 'test', summary: '', handler: () => json({}) }
}

function createTable(...routes: Route[]) {
  const app = new Hono<HonoEnv>()
  const table = addRoutes(app, routes, async ({ method, path }) => new Response(`${method} ${path}`))
  return { table, request: async (method: string, path: string) => (await app.request(path, { method })).text() }
}

describe('findLiteral', () => {
  it('finds routes without parameters by all of their paths', () => {
    const models = route('GET', '/v1/models', 'compatible', ['/models'])
    const { table } = createTable(models)
    expect([table.findLiteral('GET', '/v1/models'), table.findLiteral('GET', '/models')]).toEqual([models, models])
    for (const [method, path] of [
      ['POST', '/models'],
      ['HEAD', '/models'],
      ['GET', '/models/'],
      ['GET', '/Models'],
      ['GET', '/constructor'],
      ['constructor', '/models'],
    ] as const)
      expect(table.findLiteral(method, path), `${method} ${path}`).toBeUndefined()
  })

  it.each([
    ['before', [route('POST', '/a/:id'), route('POST', '/a/b')]],
    ['after', [route('POST', '/a/b'), route('POST', '/a/:id')]],
  ])('finds what Hono finds where a route with a parameter stands %s', async (_, routes) => {
    const { table, request } = createTable(...routes)
    const [first] = routes
    expect(await request('POST', '/a/b')).toBe(`POST ${first?.path}`)
    expect(table.findLiteral('POST', '/a/b')).toBe(first?.path === '/a/b' ? first : undefined)
  })

  it('leaves a path to Hono that is a literal of another method only', () => {
    const { table } = createTable(route('POST', '/a/b'), route('GET', '/a/:id'))
    expect(table.findLiteral('GET', '/a/b')).toBeUndefined()
  })
})

describe('findPath', () => {
  const { table } = createTable(
    route('PUT', '/a/:id', 'flat'),
    route('GET', '/a/b', 'string'),
    route('DELETE', '/a/*'),
    route('PUT', '/a/c'),
    route('POST', '/d.e'),
  )

  it.each([
    ['/a/b', ['PUT', 'GET', 'HEAD', 'DELETE', 'OPTIONS'], 'flat'],
    ['/a/c', ['PUT', 'DELETE', 'OPTIONS'], 'flat'],
    ['/a/c/d', ['DELETE', 'OPTIONS'], 'compatible'],
    ['/d.e', ['POST', 'OPTIONS'], 'compatible'],
    ['/dxe', [], 'compatible'],
    ['/none', [], 'compatible'],
  ])('knows the methods of %s in table order, and the family of the first', (path, methods, family) => {
    expect(table.findPath(path)).toEqual({ methods, family })
  })
})
