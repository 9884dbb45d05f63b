import { type DecideRequest, QuestionType } from '@svc/backend-client/proto'
import type { ExtensionHandlers } from '@svc/backend-kit'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

const MAX_QUESTIONS = 64

export function createDecideHandlers(host: ModelHost): Pick<ExtensionHandlers, 'decide'> {
  return {
    decide: async (request, { signal }) => {
      const model = host.use(request.modelIdentity)
      checkQuestions(request)
      const { decisions, tokensRead } = await model.decide(request, { signal })
      return { answers: decisions.map((decision) => ({ ...decision })), promptTokens: tokensRead }
    },
  }
}

function checkQuestions({ questions }: DecideRequest): void {
  if (questions.length === 0) throw invalidRequest('there is no question', 'questions')
  if (questions.length > MAX_QUESTIONS) throw invalidRequest(`more than ${MAX_QUESTIONS} questions`, 'questions')
  const ids = new Set<string>()
  for (const { id, type, instruction } of questions) {
    if (id === '' || ids.has(id)) throw invalidRequest('an id is empty or there twice', 'questions.id')
    ids.add(id)
    if (type !== QuestionType.QUESTION_TYPE_YES_NO && type !== QuestionType.QUESTION_TYPE_UNSPECIFIED) {
      throw invalidRequest('this type of question is unknown', 'questions.type')
    }
    if (instruction.trim() === '') throw invalidRequest('a question asks nothing', 'questions.instruction')
  }
}
