import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { onRecovery } from './connection.ts'

/**
 * A part of the frame that loads late. When the server is away it loads once the server is back, so a missing part
 * never takes the page down with it.
 */
export function lazyPart<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch(() => loadAfterRecovery(load)) }))
}

function loadAfterRecovery<Props>(load: () => Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  return new Promise((resolve) => {
    const end = onRecovery(() => {
      void load().then((part) => {
        end()
        resolve(part)
      })
    })
  })
}
