/** Whether a client asks for a page: browsers name its type, programs do not. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') ?? false
}
