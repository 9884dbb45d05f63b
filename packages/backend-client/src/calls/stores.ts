import {
  BackendService,
  Result,
  StoresDeleteOptions,
  StoresFindOptions,
  StoresFindResult,
  StoresGetOptions,
  StoresGetResult,
  StoresSetOptions,
} from '../gen/backend.ts'
import { unary } from '../method.ts'

/** Vector stores. */
export const storesMethods = {
  /** Adds or replaces vectors and their values. */
  storesSet: unary(BackendService.storesSet, StoresSetOptions, Result),
  /** Removes vectors. Removing an unknown one is no error. */
  storesDelete: unary(BackendService.storesDelete, StoresDeleteOptions, Result),
  /** Values of exactly these vectors. Unknown ones are left out. */
  storesGet: unary(BackendService.storesGet, StoresGetOptions, StoresGetResult),
  /** The nearest vectors by cosine, best first. */
  storesFind: unary(BackendService.storesFind, StoresFindOptions, StoresFindResult),
} as const
