/** Name of the model in answers about faces and voices. */
export const MODEL_NAME = 'mock'
