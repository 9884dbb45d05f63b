import { parseSize } from './quantities.ts'
import { readWith, TEXT_FORMS, type TextKind } from './text-kind.ts'

/** A part of memory: a share of it, or a number of bytes. */
export type MemoryBudget = { readonly share: number } | { readonly bytes: number }

/** Reads a budget: `80%`, or a size such as `12GB`. Undefined for no budget and for any other text. */
export function parseBudget(text: string): MemoryBudget | undefined {
  const percent = /^(\d{1,3}(?:\.\d{1,3})?) ?%$/.exec(text)?.[1]
  if (percent !== undefined) {
    const share = Number(percent) / 100
    return share > 0 && share <= 1 ? { share } : undefined
  }
  const bytes = parseSize(text, 'bytes')
  return bytes === undefined || bytes === 0 ? undefined : { bytes }
}

/** Whether a text is a budget, or empty for none. */
export function isBudget(text: string): boolean {
  return text === '' || parseBudget(text) !== undefined
}

/** The accepted form. */
export const BUDGET_FORM = 'a share such as 80%, or a size such as 12GB'

/** A budget, kept as it was written. */
export const budget: TextKind<string> = readWith((text) => (isBudget(text) ? text : undefined)).register(TEXT_FORMS, {
  placeholder: 'SHARE|SIZE',
  form: BUDGET_FORM,
  shape: 'single',
})
