import type { App } from './app.ts'
import { HEALTH_CHECKS } from './health-checks.ts'

/** An application that listens before it can serve everything. */
export interface HeldApp {
  /** Requests wait until {@link HeldApp.release}, except health checks. */
  readonly app: App
  release(): void
}

/** Holds the requests of an application. */
export function holdRequests(app: Required<App>): HeldApp {
  let isHeld = true
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => {
    release = () => {
      isHeld = false
      resolve()
    }
  })
  const held: App = {
    servesLiteral: (method, target) => app.servesLiteral(method, target),
    async fetch(...request) {
      if (isHeld) await released
      return app.fetch(...request)
    },
    serveLiteral(incoming, outgoing) {
      if (!isHeld || HEALTH_CHECKS.has(incoming.url)) return app.serveLiteral(incoming, outgoing)
      if (!app.servesLiteral(incoming.method ?? '', incoming.url ?? '')) return undefined
      return released.then(() => app.serveLiteral(incoming, outgoing))
    },
  }
  return { app: held, release: () => release() }
}
