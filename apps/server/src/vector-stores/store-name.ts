/**
 * The side that a store belongs to: all callers of `/stores/*`, or a model of a model file. Stores of different owners
 * with one name are different stores.
 */
export type StoreOwner = 'callers' | 'model'

/** The name of a store. */
export interface StoreName {
  readonly owner: StoreOwner
  readonly name: string
}

/** Gives the key of a store in tables. */
export function toStoreId({ owner, name }: StoreName): string {
  return `${owner}/${name}`
}
