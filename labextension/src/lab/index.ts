import { answers } from './answers';
import { prompts } from './prompts';

export default [answers, prompts];
