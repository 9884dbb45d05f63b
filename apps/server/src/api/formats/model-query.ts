import * as z from 'zod'

/** The query of routes that take a model's name there. */
export const modelQuery = z.object({
  model: z.string().optional().describe('The model, where the body names none.'),
})
