import { useSyncExternalStore } from 'react'

/** A value that parts of the page watch. */
export interface Observable<Value> {
  readonly get: () => Value
  readonly subscribe: (listener: () => void) => () => void
}

/** An {@link Observable} that its owner changes. */
export interface MutableObservable<Value> extends Observable<Value> {
  readonly set: (value: Value) => void
  readonly isWatched: () => boolean
}

export function createObservable<Value>(first: Value): MutableObservable<Value> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    isWatched: () => listeners.size > 0,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useObservable<Value>({ subscribe, get }: Observable<Value>): Value {
  return useSyncExternalStore(subscribe, get)
}
