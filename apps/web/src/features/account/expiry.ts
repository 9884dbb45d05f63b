import type { KeyDraft } from './api.ts'

/** Validity of a new key: as the server decides, some days, or until a date. */
export type ExpiryChoice = 'server' | '7d' | '30d' | '90d' | '365d' | 'date'

export const EXPIRY_CHOICES: readonly ExpiryChoice[] = ['server', '7d', '30d', '90d', '365d', 'date']

/**
 * The end of a new key, as the server reads it.
 *
 * @param date the last day, `YYYY-MM-DD` in the viewer's time zone; used with the choice `date`
 */
export function readExpiry(choice: ExpiryChoice, date: string): Pick<KeyDraft, 'expiresAt' | 'expiresIn'> {
  if (choice === 'server') return {}
  if (choice !== 'date') return { expiresIn: choice }
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return { expiresAt: new Date(year, month - 1, day, 23, 59, 59).toISOString() }
}

/** Whether a key can no longer be used. */
export function isExpired({ expiresAt }: { readonly expiresAt?: string | undefined }, now = Date.now()): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now
}
