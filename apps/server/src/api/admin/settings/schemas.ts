import * as z from 'zod'

/** Reply of `GET /api/settings/sources`. */
export const settingSources = z.object({
  settings: z.array(
    z.object({
      key: z.string(),
      heading: z.string(),
      about: z.string(),
      source: z.enum(['flag', 'environment', 'file', 'default']),
      locked_by: z
        .enum(['flag', 'environment', 'branding', 'refused'])
        .nullable()
        .describe('What a saved value cannot change: a flag, a variable, the routes of the branding, or a refusal.'),
      secret: z.boolean().describe('`GET /api/settings` shows a mask, which may be sent back.'),
      saved_value_unused: z
        .boolean()
        .describe('A saved value is not in force, because a flag or a variable sets another one.'),
      flag: z.string().nullable(),
      variables: z.array(z.string()),
      problems: z
        .array(z.string())
        .optional()
        .describe('Faults of the things that its value names, such as a gallery that cannot be read.'),
    }),
  ),
})
