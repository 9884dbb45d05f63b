/** Whether an account waits for an admin. */
export function isPending({ status }: { readonly status: string }): boolean {
  return status === 'pending'
}
