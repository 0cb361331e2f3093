/** The answer as a widget, for front ends without our JupyterLab extension: inert, the text as it is. */

import type { Render } from '@anywidget/types';
import { readAnswer } from './core/turn';
import { mount } from './views/answer';
import { make } from './views/dom';

interface Model {
  /** An output's data by MIME type. */
  data: Record<string, unknown>;
}

const render: Render<Model> = ({ model, el }) => {
  const view = mount(el, {
    render: async markdown => make('div', {}, make('p', { class: 'jh-plain' }, markdown)),
    settle: () => {},
    call: () => Promise.reject(new Error('this view only shows')),
    keep: () => {},
    copy: text => navigator.clipboard.writeText(text)
  });
  const show = (): void => {
    const answer = readAnswer(model.get('data'));
    if (answer) {
      void view.show(answer);
    }
  };
  show();
  model.on('change:data', show);
  return () => {
    model.off('change:data', show);
    view.dispose();
  };
};

export default { render };
