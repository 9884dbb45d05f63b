/** Search parameters of the sign-in page. */
export interface SignInSearch {
  /** Address of the page after signing in, unchecked. */
  readonly next?: string | undefined
  /** The error of a provider, such as `invite_required`. */
  readonly error?: string | undefined
}

export function readSignInSearch({ next, error }: Record<string, unknown>): SignInSearch {
  return {
    ...(typeof next === 'string' && { next }),
    ...(typeof error === 'string' && { error }),
  }
}
