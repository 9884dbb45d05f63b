import type { Call } from '../../../http/call.ts'

/** Notes an installation for the audit log: by its name, and by its address without parts that may be secret. */
export function noteInstall(
  call: Call,
  { name, address }: { readonly name?: string | null | undefined; readonly address?: string | null | undefined },
): void {
  const shown = address ? toShownAddress(address) : undefined
  call.noteChange({ target: name || shown, ...(shown === undefined ? {} : { details: shown }) })
}

/** An address without user, password, query and fragment: each of them may be a secret. */
function toShownAddress(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//')
}
