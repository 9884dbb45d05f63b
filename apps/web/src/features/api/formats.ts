/** The wire formats that conversations can have. */
export const FORMATS = ['chat', 'messages', 'responses'] as const
export type Format = (typeof FORMATS)[number]

export const LANGUAGES = ['curl', 'js', 'python'] as const
export type Language = (typeof LANGUAGES)[number]
