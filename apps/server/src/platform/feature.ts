import type { SettingsChange } from '../bus/subjects.ts'
import type { Route } from '../http/route.ts'
import type { Unready } from '../monitoring/readiness.ts'
import type { Platform } from './platform.ts'

/** A part of the server that plugs in. Every member is optional; most features only have routes. */
export interface ServerFeature {
  readonly routes?: readonly Route[] | undefined
  /** Runs when the server listens. An error ends the start of the server. */
  start?(): Promise<void> | void
  /** Runs after settings have changed and apply. Must not throw. */
  settingsChanged?(changed: ReadonlySet<SettingsChange>): void
  /** Runs after model files of these names have changed or are gone. Must not throw. */
  modelsChanged?(names: readonly string[]): void
  /** Gives the reason why this feature keeps the server from taking requests. */
  unready?(): Unready | undefined
  /** Runs when the server begins to stop: ends streams that would stay open, and work without a waiting caller. */
  drain?(): Promise<void> | void
  /** Runs when connections are gone, while the database and the backends still exist. Called once. */
  close?(): Promise<void> | void
}

/** Creates a feature on the shared platform. The route table is complete only once every feature is created. */
export type CreateFeature = (platform: Platform) => ServerFeature | Promise<ServerFeature>
