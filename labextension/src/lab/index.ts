import { answers } from './answers';
import { commands } from './commands';
import { panel } from './panel';
import { prompts } from './prompts';

export default [answers, prompts, panel, commands];
