import type {
  ChatCompletion,
  ChatCompletionChunk,
  CompatibleErrorReply,
  Completion,
  EmbeddingList,
  Model,
  ModelList,
  Moderation,
} from '@svc/wire'
import type OpenAI from 'openai'
import { describe, expectTypeOf, it } from 'vitest'

// Proven by the type check; at run time there is nothing to see.
describe('the types of our replies are those of the official client', () => {
  it('a whole chat', () => {
    expectTypeOf<ChatCompletion>().toExtend<OpenAI.ChatCompletion>()
  })

  it('a chunk of a streamed one', () => {
    expectTypeOf<ChatCompletionChunk>().toExtend<OpenAI.ChatCompletionChunk>()
  })

  it('a completion', () => {
    expectTypeOf<Completion>().toExtend<OpenAI.Completion>()
  })

  it('a list of vectors, but for those that the client decodes itself', () => {
    type Rest = 'object' | 'model' | 'usage'
    expectTypeOf<Pick<EmbeddingList, Rest>>().toExtend<Pick<OpenAI.CreateEmbeddingResponse, Rest>>()
    type Place = 'object' | 'index'
    expectTypeOf<Pick<EmbeddingList['data'][number], Place>>().toExtend<Pick<OpenAI.Embedding, Place>>()
  })

  it('a moderation', () => {
    expectTypeOf<Moderation>().toExtend<Omit<OpenAI.ModerationCreateResponse, 'results'>>()
    type Result = Moderation['results'][number]
    expectTypeOf<Pick<Result, 'flagged' | 'categories'>>().toExtend<Pick<OpenAI.Moderation, 'flagged' | 'categories'>>()
    expectTypeOf<Result['category_scores']>().toExtend<OpenAI.Moderation['category_scores']>()
    expectTypeOf<Result['category_applied_input_types']['hate'][number]>().toEqualTypeOf<'text'>()
  })

  it('a model, and the list of them', () => {
    expectTypeOf<Model>().toExtend<OpenAI.Model>()
    expectTypeOf<ModelList['data']>().toExtend<OpenAI.Model[]>()
  })

  it('an error', () => {
    expectTypeOf<CompatibleErrorReply['error']>().toExtend<Pick<OpenAI.ErrorObject, 'message' | 'param' | 'type'>>()
  })
})
