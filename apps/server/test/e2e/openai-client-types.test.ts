import type {
  ChatCompletion,
  ChatCompletionChunk,
  CompatibleErrorReply,
  Completion,
  EmbeddingList,
  Model,
  ModelList,
  Moderation,
} from '@svc/wire/openai'
import type { ResponseErrorReply, ResponseEvent, ResponseResource } from '@svc/wire/responses'
import type OpenAI from 'openai'
import { describe, expectTypeOf, it } from 'vitest'

// The type check proves this; at run time nothing happens.
describe('the types of our replies equal those of the official client', () => {
  it('a whole chat', () => {
    expectTypeOf<ChatCompletion>().toExtend<OpenAI.ChatCompletion>()
  })

  it('a chunk of a streamed one', () => {
    expectTypeOf<ChatCompletionChunk>().toExtend<OpenAI.ChatCompletionChunk>()
  })

  it('a completion, but for the null of a token that nothing precedes', () => {
    type Rest = 'id' | 'object' | 'created' | 'model' | 'usage'
    expectTypeOf<Pick<Completion, Rest>>().toExtend<Pick<OpenAI.Completion, Rest>>()
    type Choice = Completion['choices'][number]
    type Facts = 'index' | 'text' | 'finish_reason'
    expectTypeOf<Pick<Choice, Facts>>().toExtend<Pick<OpenAI.CompletionChoice, Facts>>()
    type Lists = 'tokens' | 'text_offset'
    type Logprobs = NonNullable<Choice['logprobs']>
    expectTypeOf<Pick<Logprobs, Lists>>().toExtend<Pick<OpenAI.CompletionChoice.Logprobs, Lists>>()
    expectTypeOf<NonNullable<Logprobs['token_logprobs'][number]>>().toEqualTypeOf<number>()
  })

  it('a list of vectors, except those that the client decodes itself', () => {
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

  it('a response, but for the words and tools that are handed back as they came', () => {
    type Facts = 'id' | 'object' | 'created_at' | 'completed_at' | 'status' | 'model' | 'output' | 'background'
    expectTypeOf<Pick<ResponseResource, Facts>>().toExtend<Pick<OpenAI.Responses.Response, Facts>>()
    expectTypeOf<NonNullable<ResponseResource['usage']>>().toExtend<OpenAI.Responses.ResponseUsage>()
    type Asked = 'instructions' | 'metadata' | 'parallel_tool_calls' | 'temperature' | 'top_p' | 'previous_response_id'
    expectTypeOf<Pick<ResponseResource, Asked>>().toExtend<Pick<OpenAI.Responses.Response, Asked>>()
    type Ending = 'incomplete_details' | 'max_output_tokens' | 'truncation'
    expectTypeOf<Pick<ResponseResource, Ending>>().toExtend<Pick<OpenAI.Responses.Response, Ending>>()
  })

  it('an event of a response that holds no response', () => {
    type Ours = Exclude<ResponseEvent, { readonly response: unknown }>
    expectTypeOf<Ours['type']>().toExtend<OpenAI.Responses.ResponseStreamEvent['type']>()
    type Delta =
      | 'response.output_text.delta'
      | 'response.reasoning_text.delta'
      | 'response.function_call_arguments.delta'
    expectTypeOf<Extract<ResponseEvent, { type: Delta }>>().toExtend<
      Extract<OpenAI.Responses.ResponseStreamEvent, { type: Delta }>
    >()
  })

  it('an error of the responses format', () => {
    expectTypeOf<ResponseErrorReply['error']>().toExtend<Pick<OpenAI.ErrorObject, 'message' | 'param' | 'type'>>()
  })

  it('an error', () => {
    expectTypeOf<CompatibleErrorReply['error']>().toExtend<Pick<OpenAI.ErrorObject, 'message' | 'param' | 'type'>>()
  })
})
