/** Why the work of an operation is to end: the reason of its signal. */
export class OperationStopped extends Error {
  override readonly name = 'OperationStopped'
  /** Whether the data fetched so far stays for a later installation. */
  readonly keepsData: boolean

  constructor(message: string, options: { readonly keepsData: boolean }) {
    super(message)
    this.keepsData = options.keepsData
  }
}

/** Whether the data fetched so far stays: after a pause, a stop of the server and any failure, but not a cancel. */
export function keepsData(signal: AbortSignal): boolean {
  return !(signal.reason instanceof OperationStopped) || signal.reason.keepsData
}
