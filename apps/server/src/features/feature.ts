import type { Route } from '../http/route.ts'
import type { Platform } from '../platform/platform.ts'
import type { Unready } from '../readiness.ts'
import type { SettingsChange } from '../settings/settings.ts'

/** A part of the server that plugs in. Every member is optional; most features have routes and nothing else. */
export interface ServerFeature {
  readonly routes?: readonly Route[] | undefined
  /** The server listens. An error ends the start of the server. */
  start?(): Promise<void> | void
  /** Settings have changed and count already. Must not throw. */
  settingsChanged?(changed: ReadonlySet<SettingsChange>): void
  /** Model files of these names have changed or are gone. Must not throw. */
  modelsChanged?(names: readonly string[]): void
  /** The reason why the server takes no requests on account of this feature. */
  unready?(): Unready | undefined
  /** The server begins to stop: the feature ends streams that would stay open, and work that nobody waits for. */
  drain?(): Promise<void> | void
  /** Connections are gone; the database and the backends are still there. Called once. */
  close?(): Promise<void> | void
}

/** Makes a feature out of the shared platform. The route table is complete only once every feature is made. */
export type CreateFeature = (platform: Platform) => ServerFeature | Promise<ServerFeature>
