/**
 * Quotas: requests and tokens for each window of time, reserved before and settled after.
 *
 * @module
 */

export { formatDuration, parseDuration } from '../duration.ts'
export type { StopSignal } from '../with-signal.ts'
export { applyQuotaWork, type QuotaLedger, type QuotaWork, type Reservation } from './apply-work.ts'
export {
  createExclusiveQuotaStore,
  type ExclusiveQuotaStore,
  type ExclusiveQuotaStoreOptions,
} from './exclusive-store.ts'
export type { QuotaDraft, QuotaStatus } from './quota-rules.ts'
export { type Cost, createQuotas, type Quotas, type QuotasOptions, type QuotaUse } from './quotas.ts'
export type { FurtherUse, QuotaReservation } from './reservations.ts'
export { currentCounter, windowStart } from './windows.ts'
