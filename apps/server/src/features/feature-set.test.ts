import { describe, expect, it } from 'vitest'
import { HttpReply } from '../http/http-reply.ts'
import { defineRoute, type Route } from '../http/route.ts'
import type { ServerFeature } from '../platform/feature.ts'
import { createFeatureSet, type FeatureSet } from './feature-set.ts'

const route = (path: string): Route =>
  defineRoute({
    method: 'GET',
    path,
    access: 'none',
    family: 'compatible',
    tag: 'test',
    summary: path,
    handler: () => new HttpReply(null),
  })

interface World {
  readonly features: FeatureSet
  readonly happened: string[]
  readonly errors: unknown[]
  /** Adds a feature that records its calls. */
  add(name: string, feature?: ServerFeature): void
}

function createWorld(): World {
  const happened: string[] = []
  const errors: unknown[] = []
  const ignore = (): void => undefined
  const logger = { debug: ignore, info: ignore, warn: ignore, error: ({ err }: { err?: unknown }) => errors.push(err) }
  const features = createFeatureSet({ logger })
  return {
    features,
    happened,
    errors,
    add(name, feature = {}) {
      features.add({
        start: () => void happened.push(`start ${name}`),
        settingsChanged: (changed) => void happened.push(`settings ${name} ${[...changed].join()}`),
        modelsChanged: (names) => void happened.push(`models ${name} ${names.join()}`),
        drain: () => void happened.push(`drain ${name}`),
        close: () => void happened.push(`close ${name}`),
        ...feature,
      })
    },
  }
}

describe('the features of a server', () => {
  it('have their routes in one table, in their order', () => {
    const { features, add } = createWorld()
    add('a', { routes: [route('/a'), route('/b')] })
    add('b')
    add('c', { routes: [route('/c')] })
    expect(features.routes().map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
  })

  it('start in their order, hear of changes, and close the other way round, once', async () => {
    const { features, happened, add } = createWorld()
    for (const name of ['a', 'b']) add(name)
    features.add({})
    await features.start()
    features.settingsChanged(new Set(['debug', 'external_backends']))
    features.modelsChanged(['m', 'n'])
    await features.drain()
    await Promise.all([features.close(), features.close()])
    expect(happened).toEqual([
      'start a',
      'start b',
      'settings a debug,external_backends',
      'settings b debug,external_backends',
      'models a m,n',
      'models b m,n',
      'drain a',
      'drain b',
      'close b',
      'close a',
    ])
  })

  it('end the start of the server where one cannot start', async () => {
    const { features, happened, add } = createWorld()
    const failure = new Error('no')
    add('a', { start: () => Promise.reject(failure) })
    add('b')
    await expect(features.start()).rejects.toBe(failure)
    expect(happened).toEqual([])
  })

  it('all drain and close where one fails to', async () => {
    const { features, happened, errors, add } = createWorld()
    const [first, second] = [new Error('drain'), new Error('close')]
    add('a')
    const fail = (error: Error) => (): void => {
      throw error
    }
    add('b', { drain: fail(first), close: () => Promise.reject(second) })
    add('c')
    await features.drain()
    await features.close()
    expect(happened).toEqual(['drain a', 'drain c', 'close c', 'close a'])
    expect(errors).toEqual([first, second])
  })

  it('tell why the server takes no requests: the first that has a reason, and a stop before all', async () => {
    const { features, add } = createWorld()
    const loading = { status: 'starting', reason: 'loading' } as const
    let isLoading = true
    add('a')
    add('b', { unready: () => (isLoading ? loading : undefined) })
    expect(features.unready()).toEqual(loading)
    isLoading = false
    expect(features.unready()).toBeUndefined()
    isLoading = true
    await features.drain()
    expect(features.unready()).toEqual({ status: 'stopping', reason: 'the server is stopping' })
  })
})
