import { SvcError } from '@svc/errors'
import { toStatus } from '../../http/error-map.ts'
import type { Route } from '../../http/route.ts'
import type { ServerSeries, SignInMethod } from '../../monitoring/server-series.ts'
import { readSentBack } from './failed-sign-in.ts'

/** The routes that end a sign-in, by its method. */
const METHODS: Readonly<Record<string, SignInMethod>> = {
  '/api/auth/login': 'password',
  '/api/auth/token-login': 'key',
  '/api/auth/github/callback': 'codehost',
  '/api/auth/oidc/callback': 'oidc',
}

/** Makes routes count their sign-ins. Other routes are given back as they are. */
export function countSignIns(routes: readonly Route[], series: Pick<ServerSeries, 'countSignIn'>): Route[] {
  return routes.map((route) => {
    const method = METHODS[route.path]
    return method === undefined ? route : counted(route, method, series)
  })
}

function counted(route: Route, method: SignInMethod, series: Pick<ServerSeries, 'countSignIn'>): Route {
  return {
    ...route,
    async handler(call) {
      try {
        const reply = await route.handler(call)
        series.countSignIn(method, readSentBack(reply) ?? 'succeeded')
        return reply
      } catch (error) {
        series.countSignIn(method, SvcError.is(error) && toStatus(error) < 500 ? 'refused' : 'failed')
        throw error
      }
    },
  }
}
