/** Characters. */
export const MAX_AVATAR_LENGTH = 512

/**
 * Whether a text can be the address of a picture of an account: https, without a name or password in it. Nothing here
 * fetches it.
 */
export function isAvatarUrl(text: string): boolean {
  if (text.length > MAX_AVATAR_LENGTH || !/^https:\/\/[\x21-\x7e]+$/i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === ''
}
