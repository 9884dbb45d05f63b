import type { OperationFigures } from './operation-figures.ts'

/** A vector of a store, and the bytes under it. */
export interface StoreEntry {
  readonly key: Float32Array
  readonly value: Uint8Array
}

/** Entries to add; an equal key gets the new value. All keys have one length. */
export interface StoreSetRequest {
  readonly kind: 'store-set'
  readonly entries: readonly StoreEntry[]
}

/** Keys whose entries are read. */
export interface StoreGetRequest {
  readonly kind: 'store-get'
  readonly keys: readonly Float32Array[]
}

/** The entries that are there. */
export interface StoreGetResult extends OperationFigures {
  readonly entries: readonly StoreEntry[]
}

/** Keys whose entries are removed; missing ones are not an error. */
export interface StoreDeleteRequest {
  readonly kind: 'store-delete'
  readonly keys: readonly Float32Array[]
}

/** A vector whose nearest entries are sought. */
export interface StoreFindRequest {
  readonly kind: 'store-find'
  readonly key: Float32Array
  /** Maximum number of entries, at least 1. */
  readonly count: number
}

/** The nearest entry first; similarities are cosines in -1..1. */
export interface StoreFindResult extends OperationFigures {
  readonly found: readonly (StoreEntry & { readonly similarity: number })[]
}

/** Operations of vector stores. */
export interface StoreOperations {
  readonly 'store-set': { readonly request: StoreSetRequest; readonly result: OperationFigures }
  readonly 'store-get': { readonly request: StoreGetRequest; readonly result: StoreGetResult }
  readonly 'store-delete': { readonly request: StoreDeleteRequest; readonly result: OperationFigures }
  readonly 'store-find': { readonly request: StoreFindRequest; readonly result: StoreFindResult }
}

export type StoreOperationKind = keyof StoreOperations
