import type { KeyDraft, KeyEdit } from '../../lib/keys.ts'

/** Validity of a key: as it is or as the server decides, some days, until a date, or for ever. */
export type ExpiryChoice = 'keep' | 'never' | 'server' | '7d' | '30d' | '90d' | '365d' | 'date'

export const EXPIRY_CHOICES: readonly ExpiryChoice[] = ['server', '7d', '30d', '90d', '365d', 'date']
export const EXPIRY_CHANGES: readonly ExpiryChoice[] = ['keep', '7d', '30d', '90d', '365d', 'date', 'never']

/**
 * The end of a key, as the server reads it. Null: the key lives for ever, which only a change of a key can say.
 *
 * @param date the last day, `YYYY-MM-DD` in the viewer's time zone; used with the choice `date`
 */
export function readExpiry(choice: ExpiryChoice, date: string): Pick<KeyEdit, 'expiresAt' | 'expiresIn'> {
  if (choice === 'server' || choice === 'keep') return {}
  if (choice === 'never') return { expiresAt: null }
  if (choice !== 'date') return { expiresIn: choice }
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return { expiresAt: new Date(year, month - 1, day, 23, 59, 59).toISOString() }
}

/** The end of a new key. Without one the server decides. */
export function readNewExpiry(choice: ExpiryChoice, date: string): Pick<KeyDraft, 'expiresAt' | 'expiresIn'> {
  const { expiresAt, ...rest } = readExpiry(choice, date)
  return { ...rest, ...(typeof expiresAt === 'string' && { expiresAt }) }
}

/** Whether a key can no longer be used. */
export function isExpired({ expiresAt }: { readonly expiresAt?: string | undefined }, now = Date.now()): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now
}
