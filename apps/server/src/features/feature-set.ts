import type { SettingsChange } from '../bus/subjects.ts'
import type { Route } from '../http/route.ts'
import type { Unready } from '../monitoring/readiness.ts'
import type { ServerFeature } from '../platform/feature.ts'
import type { Logger } from '../ports.ts'

/** The features of a server, as one. */
export interface FeatureSet {
  add(feature: ServerFeature): void
  /** The routes of every feature, in the order of the features. */
  routes(): readonly Route[]
  /** Gives the first reason why the server takes no requests. A draining server is stopping. */
  unready(): Unready | undefined
  settingsChanged(changed: ReadonlySet<SettingsChange>): void
  modelsChanged(names: readonly string[]): void
  /** Starts one feature after the other, in order. @throws the error of the first that fails */
  start(): Promise<void>
  /** Drains all features at the same time. Never rejects. */
  drain(): Promise<void>
  /** Closes the features one after the other, the last one first; runs once. Never rejects. */
  close(): Promise<void>
}

const STOPPING: Unready = { status: 'stopping', reason: 'the server is stopping' }

/** Creates a set without features. */
export function createFeatureSet({ logger }: { readonly logger: Logger }): FeatureSet {
  const features: ServerFeature[] = []
  let isDraining = false
  let closing: Promise<void> | undefined

  /** A feature that fails to close must not stop the others from closing. */
  async function guard(work: () => Promise<void> | void | undefined): Promise<void> {
    try {
      await work()
    } catch (error) {
      logger.error({ err: error }, 'a feature did not end cleanly')
    }
  }

  async function closeAll(): Promise<void> {
    for (const feature of features.toReversed()) await guard(() => feature.close?.())
  }

  return {
    add: (feature) => void features.push(feature),
    routes: () => features.flatMap((feature) => feature.routes ?? []),
    unready() {
      if (isDraining) return STOPPING
      for (const feature of features) {
        const unready = feature.unready?.()
        if (unready !== undefined) return unready
      }
      return undefined
    },
    settingsChanged(changed) {
      for (const feature of features) feature.settingsChanged?.(changed)
    },
    modelsChanged(names) {
      for (const feature of features) feature.modelsChanged?.(names)
    },
    async start() {
      for (const feature of features) await feature.start?.()
    },
    async drain() {
      isDraining = true
      await Promise.all(features.map((feature) => guard(() => feature.drain?.())))
    },
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
