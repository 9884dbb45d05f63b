import * as z from 'zod'

/** Reply of `GET /api/branding`. */
export const brandingReply = z.object({
  instance_name: z.string(),
  instance_tagline: z.string(),
  logo_url: z.string(),
  logo_horizontal_url: z.string(),
  favicon_url: z.string(),
})

/** Body of `POST /api/branding/asset/:kind`. */
export const imageForm = z.object({
  file: z.string().meta({ format: 'binary' }).describe('An image of 5 MiB at most.'),
})
