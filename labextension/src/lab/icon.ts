/** A conversation that branches. */

import { LabIcon } from '@jupyterlab/ui-components';

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">
  <g class="jp-icon3" fill="#616161">
    <path d="M2.5 1h11A1.5 1.5 0 0 1 15 2.500v7A1.500 1.500 0 0 1 13.500 11H8l-3.500 3.600V11h-2A1.500 1.500 0 0 1 1 9.500v-7A1.500 1.500 0 0 1 2.500 1zm.2 1.300a.4.4 0 0 0-.4.4v6.600c0 .2.200.4.400.4h10.600a.4.4 0 0 0 .4-.4V2.700a.4.4 0 0 0-.4-.4z"/>
    <circle cx="4.800" cy="6" r="1.200"/><circle cx="11" cy="4.300" r="1.200"/><circle cx="11" cy="7.700" r="1.200"/>
    <path d="M4.800 5.500C7 5.500 8 3.800 11 3.800v1C8.500 4.800 7.500 6 6.500 6c1 0 2 1.200 4.500 1.200v1C8 8.200 7 6.500 4.800 6.500z"/>
  </g>
</svg>`;

export const chatIcon = new LabIcon({ name: 'jupyter-history:chat', svgstr: SVG });
