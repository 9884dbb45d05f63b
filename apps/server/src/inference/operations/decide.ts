import { QuestionType } from '@svc/backend-client/proto'
import type { OperationRunner } from './operation-runner.ts'

/** Asks questions about a text. Only our own backends answer. */
export const runDecide: OperationRunner<'decide'> = async ({ document, questions }, { client, model, signal }) => {
  const { answers, promptTokens } = await client.extensions.decide(
    {
      modelIdentity: model.parameters.model ?? '',
      document,
      questions: questions.map((question) => ({ ...question, type: QuestionType.QUESTION_TYPE_YES_NO })),
    },
    { signal },
  )
  return {
    answers: answers.map(({ id, probability }) => ({ id, probability })),
    promptTokens: Math.max(0, promptTokens),
  }
}
