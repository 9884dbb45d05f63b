import { messagesModel, messagesModelList } from '@svc/wire/messages'
import { modelCapabilitiesList, modelList, model as openaiModel } from '@svc/wire/openai'
import * as z from 'zod'

/** Query of the lists of models. */
export const listQuery = z.object({
  filter: z.string().optional().describe('Regular expression (RE2) over the names.'),
  excludeConfigured: z.string().optional().describe('`false` also lists files that a configuration refers to.'),
  limit: z.string().optional().describe('Models of a page, 1 to 1000, default 20; messages format only.'),
  after_id: z.string().optional().describe('The page behind this model; messages format only.'),
  before_id: z.string().optional().describe('The page before this model; messages format only.'),
})

/** Reply of `GET /v1/models`, in either format. */
export const listReply = z.union([modelList, messagesModelList])

/** Reply of `GET /v1/models/capabilities`. */
export const capabilitiesReply = modelCapabilitiesList

/** Reply of `GET /v1/models/:id`, in either format. */
export const modelReply = z.union([openaiModel, messagesModel])
