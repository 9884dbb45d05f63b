// @vitest-environment jsdom
import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { describe, expect, it } from 'vitest'
import { createRedirectRoutes } from './redirect-routes.ts'

/** Goes to an address from `/app/start` and returns the final address. */
async function follow(address: string, basepath = '/') {
  const root = createRootRoute()
  const app = createRoute({ getParentRoute: () => root, path: 'app' })
  const index = createRoute({ getParentRoute: () => app, path: '/' })
  const splat = createRoute({ getParentRoute: () => app, path: '$' })
  const prefix = basepath.replace(/\/$/, '')
  const history = createMemoryHistory({ initialEntries: [`${prefix}/app/start`] })
  const router = createRouter({
    basepath,
    routeTree: root.addChildren([app.addChildren([...createRedirectRoutes(app), index, splat])]),
    history,
  })
  await router.load()
  history.push(prefix + address)
  await router.load()
  return { router, history, address: history.location.href.slice(prefix.length) }
}

describe('old addresses', () => {
  // verifies versioning:bookmarks:redirected, versioning:bookmarks:flags-kept
  it.each([
    ['/app/manage', '/app/models?view=installed'],
    ['/app/manage?tab=models&sel=cedar&mq=ce&mf=loaded', '/app/models?view=installed&model=cedar&q=ce&state=loaded'],
    ['/app/manage?tab=backends', '/app/backends?view=installed'],
    ['/app/manage?tab=backends&sel=llama&bq=ll&bf=user', '/app/backends?view=installed&backend=llama&q=ll&state=user'],
    ['/app/manage?tab=backends&bv=1&bd=1', '/app/backends?view=installed&show_all=1&development=1'],
    ['/app/manage?tab=backends&bv=0', '/app/backends?view=installed'],
    ['/app/model-editor/cedar-9b', '/app/models/cedar-9b'],
    ['/app/model-editor/team%2Fcedar', '/app/models/team%2Fcedar'],
    ['/app/import-model', '/app/models/new?from=uri'],
    ['/app/backend-logs/cedar', '/app/backends/logs/cedar'],
    ['/app/operate', '/app'],
    ['/app/middleware', '/app/pii'],
    ['/app/middleware?tab=filtering', '/app/pii'],
    ['/app/middleware?tab=routing', '/app/router'],
    ['/app/middleware?tab=proxy', '/app/intercept'],
    ['/app/middleware?tab=events', '/app/events'],
    ['/app/image', '/app/playground/images'],
    ['/app/image/flux', '/app/playground/images?model=flux'],
    ['/app/video/wan', '/app/playground/video?model=wan'],
    ['/app/tts/kokoro', '/app/playground/speech?model=kokoro'],
    ['/app/sound', '/app/playground/speech'],
    ['/app/studio/tts', '/app/playground/speech'],
    ['/app/studio/video/wan', '/app/playground/video?model=wan'],
    ['/app/studio/', '/app/playground/images'],
  ])('%s leads to %s', async (from, to) => {
    const { address } = await follow(from)
    expect(address).toBe(to)
  })

  it('leave no entry behind, so that Back goes past them', async () => {
    const { router, history } = await follow('/app/operate')
    expect(history.length).toBe(2)
    history.back()
    await router.load()
    expect(router.state.location.pathname).toBe('/app/start')
  })

  it('keep a prefix', async () => {
    expect((await follow('/app/manage', '/llm/')).history.location.pathname).toBe('/llm/app/models')
  })
})
